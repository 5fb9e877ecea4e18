/**
 * Chromium in a container may call its language `en-US@posix`, at which `Intl` throws; uPlot asks for it as soon as it is loaded, so this
 * is imported before it.
 */
if (!isKnown(navigator.language)) Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });

// — internal —

function isKnown(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false; // No language tag.
  }
}
