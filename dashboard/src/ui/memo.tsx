import { Component, type FunctionComponent } from 'preact';

/** Draws a part again only when one of its properties is another one than before. */
export function memo<P extends object>(Part: FunctionComponent<P>): new () => Component<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const before = this.props as P;
      return (Object.keys(next) as (keyof P)[]).some((name) => next[name] !== before[name]);
    }

    override render() {
      return <Part {...(this.props as P)} />;
    }
  };
}
