import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import './modal.css';

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog over the page, as long as it is rendered. The focus stays inside, and goes back to where it was in the end. */
export function Modal({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // The dialog leaves the page without being closed, so the browser does not do this.
    return () => void (opener instanceof HTMLElement && opener.focus());
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={dialog} class="modal" aria-labelledby={titleId} onCancel={cancel} onClick={(event) => event.target === dialog.current && onClose()}>
      <div class="modal-in stack">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
