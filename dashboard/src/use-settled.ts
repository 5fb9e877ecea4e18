import { useEffect, useState } from 'preact/hooks';

/** The value, once it has been the same for so many milliseconds; the first one at once. For what is asked while somebody types. */
export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
