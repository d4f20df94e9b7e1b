import { useSignal } from '@preact/signals';
import type { Problem, Schemas } from '../../shared/api';
import { ProblemNote } from '../components/notes';
import { api, ask } from '../console';
import { timeOfDay } from '../format';
import { texts } from '../texts';

/** What should be in order before the sale opens, looked at when the operator asks. */
export function Readiness({ saleId }: { saleId: string }) {
  const answer = useSignal<Schemas['ReadinessView'] | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const busy = useSignal(false);
  const check = async () => {
    busy.value = true;
    const outcome = await ask(api.GET('/api/admin/sales/{saleId}/readiness', { params: { path: { saleId } } }));
    busy.value = false;
    problem.value = outcome.ok ? undefined : outcome.problem;
    if (outcome.ok) answer.value = outcome.data;
  };
  const { readiness: text } = texts.value;
  return (
    <section class="card stack" aria-labelledby="readiness-title" data-testid="readiness">
      <div class="row spread">
        <h2 id="readiness-title">{text.title}</h2>
        <button type="button" disabled={busy.value} onClick={() => void check()} data-testid="check-readiness">{busy.value ? text.checking : text.check}</button>
      </div>
      <p role="status" class={answer.value ? '' : 'soft'} data-ready={answer.value ? String(answer.value.ready) : 'unknown'}>
        {answer.value ? <><strong class={answer.value.ready ? 'good-text' : 'bad-text'}>{answer.value.ready ? text.ready : text.notReady}</strong> <span class="soft small number">{text.checkedAt(timeOfDay(answer.value.checkedAt))}</span></> : text.never}
      </p>
      {problem.value && <ProblemNote problem={problem.value} />}
      {answer.value && <ul class="checks">{answer.value.checks.map((one) => <Check key={one.name} check={one} />)}</ul>}
    </section>
  );
}

const MARKS = { ok: '✓', warning: '!', failed: '✕' };

function Check({ check: { name, status, message, figures } }: { check: Schemas['ReadinessCheckView'] }) {
  const { readiness: text } = texts.value;
  const said = Object.entries(figures).map(([figure, value]) => `${figure} ${value}`).join(' · ');
  return (
    <li class={status} data-check={name} data-status={status}>
      <span class="mark" aria-hidden="true">{MARKS[status]}</span>
      <div>
        <strong>{text.names[name] ?? name}</strong> <span class="visually-hidden">{text.statuses[status]}</span>
        <p class="soft small">{message}</p>
        {said && <p class="soft small number">{said}</p>}
      </div>
    </li>
  );
}
