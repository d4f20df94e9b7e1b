import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RefObject, TargetedSubmitEvent } from 'preact';
import type { Outcome, Problem } from '../../shared/api';

/** What a form shows while it is filled in and sent. */
export interface FormState {
  ref: RefObject<HTMLFormElement | null>;
  busy: ReadonlySignal<boolean>;
  problem: ReadonlySignal<Problem | undefined>;
  /** What the API says against a field, by its name. */
  faults: ReadonlySignal<Record<string, string>>;
  onSubmit: (event: TargetedSubmitEvent<HTMLFormElement>) => void;
}

/**
 * A form whose fields are named as in the API's body, and which the API judges. What it says is shown at the fields; the first one at fault
 * has the focus.
 */
export function useForm<T>(send: (values: FormValues) => Promise<Outcome<T>>, done: (data: T) => void): FormState {
  const ref = useRef<HTMLFormElement>(null);
  const busy = useSignal(false);
  const problem = useSignal<Problem | undefined>(undefined);
  const faults = useSignal<Record<string, string>>({});
  const submit = async (form: HTMLFormElement) => {
    busy.value = true;
    const outcome = await send(new FormValues(new FormData(form)));
    busy.value = false;
    problem.value = outcome.ok ? undefined : outcome.problem;
    faults.value = outcome.ok ? {} : faultsOf(outcome.problem);
    if (outcome.ok) done(outcome.data);
  };
  useEffect(() => {
    if (Object.keys(faults.value).length === 0) return;
    const first = ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    first?.closest('details')?.setAttribute('open', '');
    first?.focus();
  }, [faults.value]);
  return {
    ref, busy, problem, faults,
    onSubmit: (event) => {
      event.preventDefault();
      if (!busy.value) void submit(event.currentTarget);
    },
  };
}

/** What the API would say of a field that it does not know of by itself. */
export const faultAt = (field: string, message: string): Outcome<never> => ({ ok: false, problem: { status: 400, code: 'VALIDATION_FAILED', detail: '', errors: [{ field, message }], extra: {} } });

/** What was filled in, as the API takes it. What is empty is absent, unless it is asked for as a text. */
export class FormValues {
  constructor(private readonly data: FormData) {}

  text(name: string): string {
    const value = this.data.get(name);
    return typeof value === 'string' ? value : '';
  }

  has = (name: string): boolean => this.data.has(name);

  /** NaN (in JSON null) for what is no number, so that the API names the field. */
  number = (name: string): number => (this.text(name).trim() === '' ? NaN : Number(this.text(name)));

  optionalNumber = (name: string): number | undefined => (this.text(name).trim() === '' ? undefined : Number(this.text(name)));
}

/** Of several faults of a field, the first one. */
const faultsOf = ({ errors }: Problem): Record<string, string> => Object.fromEntries(errors.map(({ field, message }) => [field, message] as const).reverse());
