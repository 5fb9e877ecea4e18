import { counted, numberText } from '../../text.ts';

interface Shown {
  /** Rows of the list. */
  shown: number;
  /** Calls that the filters let through; with `totalIsLeast` there are more, which nobody counted. */
  total: number;
  totalIsLeast: boolean;
  /** Calls that are not in the list, since they came too fast one after another. */
  leftOut: number;
  isFiltered: boolean;
}

/** What the list says of itself: how much it shows of how many, and of what. Pure. */
export function summaryOf({ shown, total, totalIsLeast, leftOut, isFiltered }: Shown): string {
  const all = totalIsLeast ? `more than ${counted(total, 'call')}` : counted(total, 'call');
  const what = isFiltered ? `${all} like that` : all;
  const part = shown < total || totalIsLeast ? `${numberText(shown)} of ${what} shown` : what;
  return leftOut > 0 ? `${part}; ${numberText(leftOut)} came too fast to be shown as they came` : part;
}
