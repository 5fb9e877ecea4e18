import { safeLink } from '../text.ts';

/** An address that somebody published: whole, so that it is read before it is opened; what is no web page is text. */
export function Link({ text }: { text: string }) {
  const link = safeLink(text);
  if (link === null) return <>{text}</>;
  return (
    <a class="text" href={link.href} target="_blank" rel="noopener noreferrer">
      {link.href}
    </a>
  );
}
