import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import './code.css';

/** Copies a text; says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), COPIED_MS);
      },
      // A browser may forbid it: the text is on the page, and can be marked.
      () => setCopied(false),
    );
  };
  return (
    <button
      type="button"
      class="button copy"
      data-kind="quiet"
      data-bare
      aria-label={label}
      title={label}
      onClick={copy}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span class="unseen" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </button>
  );
}

/** What a person can type in a terminal, with a button that copies it. Text with a command in its midst stays text. */
export function Command({ text }: { text: string }) {
  const isCommand = /^(mcpd|npx|npm) \S/.test(text) && !text.includes('; ');
  if (!isCommand) return <span class="note">{text}</span>;
  return (
    <span class="command">
      <code>{text}</code>
      <CopyButton text={text} label={`Copy: ${text}`} />
    </span>
  );
}

/** Text of several lines as it is, such as JSON or a stack. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      {/* What scrolls must be reachable by keyboard. */}
      <pre {...{ tabIndex: 0, role: 'group', 'aria-label': label }}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={`Copy ${label}`} />
    </div>
  );
}

// — internal —

/** How long the button says that it has copied. */
const COPIED_MS = 1500;
