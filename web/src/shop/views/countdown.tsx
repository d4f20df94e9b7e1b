import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { duration } from '../../shared/format';
import { serverTime } from '../../shared/server-clock';

/**
 * What is left until a moment of the service's clock. Only its text is touched while it runs, and screen readers are not told each second.
 * @param label its name, where it is not part of a longer text that says what it counts
 */
export function Countdown({ until, label }: { until: string; label?: string }) {
  const untilMs = useSignal(Date.parse(until));
  useEffect(() => {
    untilMs.value = Date.parse(until);
  }, [until]);
  const left = useComputed(() => duration(untilMs.value - serverTime.value));
  return <span class="countdown number" role="timer" {...(label !== undefined && { 'aria-label': label })}>{left}</span>;
}
