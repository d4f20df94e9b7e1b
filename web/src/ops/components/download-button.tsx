import { useSignal } from '@preact/signals';
import type { Problem } from '../../shared/api';
import { download } from '../state/download';
import { texts } from '../texts';
import { ProblemNote } from './notes';

/** Saves a file of the API. */
export function DownloadButton({ path, name, label }: { path: string; name: string; label: string }) {
  const busy = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  const save = async () => {
    busy.value = true;
    const outcome = await download(path, name);
    busy.value = false;
    problem.value = outcome.ok ? undefined : outcome.problem;
  };
  return (
    <>
      <button type="button" disabled={busy.value} onClick={() => void save()}>{busy.value ? texts.value.common.working : label}</button>
      {problem.value && <ProblemNote problem={problem.value} />}
    </>
  );
}
