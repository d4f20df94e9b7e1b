import { useSignal } from '@preact/signals';
import { texts } from '../texts';
import { Modal } from './modal';

interface Props {
  label: string;
  title: string;
  hint: string;
  yes: string;
  disabled: boolean;
  onYes: () => void;
}

/** A button for what can't be undone: it asks first. */
export function ConfirmButton({ label, title, hint, yes, disabled, onYes }: Props) {
  const isAsking = useSignal(false);
  const answer = (isYes: boolean): void => {
    isAsking.value = false;
    if (isYes) onYes();
  };
  return (
    <>
      <button type="button" class="quiet" disabled={disabled} onClick={() => (isAsking.value = true)}>{label}</button>
      {isAsking.value && (
        <Modal title={title} onClose={() => answer(false)}>
          <p class="soft">{hint}</p>
          <div class="modal-actions">
            <button type="button" onClick={() => answer(false)}>{texts.value.keep}</button>
            <button type="button" class="danger" onClick={() => answer(true)}>{yes}</button>
          </div>
        </Modal>
      )}
    </>
  );
}
