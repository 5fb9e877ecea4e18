/** Ends a vitest run with the line `N passed, N failed[, N skipped]`: hooks that threw and files that did not load count as failed. */
export default class Tally {
  onTestRunEnd(modules, unhandledErrors) {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      let tests = 0;
      for (const test of module.children.allTests()) {
        tests += 1;
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failed += 1;
        else skipped += 1;
      }
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) failed += 1;
      if (tests === 0 ? module.state() === 'failed' : module.errors().length > 0) failed += 1;
    }
    const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    process.once('exit', () => process.stdout.write(`\n${line}\n`));
  }
}
