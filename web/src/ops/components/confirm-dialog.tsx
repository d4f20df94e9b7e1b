import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Outcome } from '../../shared/api';
import { useForm, type FormState, type FormValues } from '../state/form';
import { texts } from '../texts';
import { ProblemNote } from './notes';

interface Props<T> {
  title: string;
  /** What will happen. */
  what: string;
  confirm: string;
  danger?: boolean;
  send: (values: FormValues) => Promise<Outcome<T>>;
  done: (data: T) => void;
  close: () => void;
  children?: (form: FormState) => ComponentChildren;
}

/** Says what will happen before it does, asks for what is needed, and stays open with the reason when it is refused. */
export function ConfirmDialog<T>({ title, what, confirm, danger, send, done, close, children }: Props<T>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const form = useForm(send, done);
  useEffect(() => dialog.current?.showModal(), []);
  const { problem, busy } = form;
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`} aria-describedby={`${id}-what`} onClose={close}>
      <form ref={form.ref} class="stack" onSubmit={form.onSubmit} noValidate>
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-what`}>{what}</p>
        {children?.(form)}
        {problem.value && <ProblemNote problem={problem.value} />}
        <div class="row dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>{texts.value.common.cancel}</button>
          <button type="submit" class={danger ? 'danger solid' : 'primary'} disabled={busy.value} data-testid="confirm">
            {busy.value ? texts.value.common.working : confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
