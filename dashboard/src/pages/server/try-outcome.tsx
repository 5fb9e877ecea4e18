import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TryResult } from '../../../../src/api/contract/tries.ts';
import { bytesText, latencyText } from '../../text.ts';
import type { Trial } from '../../trying/trial.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock, Command } from '../../ui/code.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { saveAs } from '../../ui/save.ts';
import { StateDot } from '../../ui/state-dot.tsx';
import { type Block, blocksOf } from './result-blocks.ts';

/** What came of a try. */
export function TryOutcome({ trial }: { trial: Trial }) {
  const { result, failed } = trial;
  return (
    <div class="stack" role="status">
      {trial.isCancelled ? <p class="note">Cancelled.</p> : null}
      {trial.thrown === null ? null : <ErrorNote thrown={trial.thrown} />}
      {failed === null ? null : (
        <div class="error-note">
          <p>
            <strong>{failed.error.what}</strong>
          </p>
          {failed.error.why ? <p class="soft text why">{failed.error.why}</p> : null}
          {failed.error.fix ? <Command text={failed.error.fix} /> : null}
          {failed.rpc?.data ? <CodeBlock text={failed.rpc.data} label="data of the error" /> : null}
        </div>
      )}
      {result === null ? null : <Result result={result} />}
    </div>
  );
}

// — internal —

function Result({ result }: { result: TryResult }) {
  const blocks = useMemo(() => (result.isCut ? null : blocksOf(result.result)), [result]);
  return (
    <>
      <p>
        <StateDot tone={result.isError ? 'bad' : 'good'}>
          {result.isError ? 'The tool says that it failed' : 'Done'}
        </StateDot>{' '}
        <span class="note">
          in {latencyText(result.durationMs)}, {bytesText(result.bytes)}
          {result.isCut ? ', of which the beginning is shown' : ''}
        </span>
      </p>
      {(blocks ?? []).map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
      {blocks === null ? (
        <CodeBlock text={result.result} label="result" />
      ) : (
        <details>
          <summary>As JSON</summary>
          <CodeBlock text={result.result} label="result" />
        </details>
      )}
    </>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'text':
      return <CodeBlock text={block.text} label="text" />;
    case 'json':
      return <CodeBlock text={block.json} label={block.title} />;
    case 'link':
      return (
        <p>
          {block.title}{' '}
          {block.link === null ? (
            <code class="text">{block.uri}</code>
          ) : (
            <>
              at <strong>{block.link.host}</strong>:{' '}
              <a class="text" href={block.link.href} target="_blank" rel="noopener noreferrer">
                {block.uri}
              </a>
            </>
          )}
        </p>
      );
    case 'data':
      return <Data block={block} />;
  }
}

/** What a browser draws without running anything in it. */
const PICTURES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function Data({ block: { type, mime, bytes } }: { block: Extract<Block, { kind: 'data' }> }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!PICTURES.includes(mime)) return;
    const made = URL.createObjectURL(new Blob([bytes], { type: mime }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [mime, bytes]);
  return (
    <figure class="stack">
      {url === null ? null : <img class="picture" src={url} alt={`${type} of the result`} />}
      <figcaption>
        {type} {mime}, {bytesText(bytes.length)}{' '}
        <Button icon="download" onPress={() => saveAs(`${type}.bin`, bytes)}>
          Download
        </Button>
      </figcaption>
    </figure>
  );
}
