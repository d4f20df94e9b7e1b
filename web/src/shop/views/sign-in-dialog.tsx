import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { Problem } from '../../shared/api';
import { answerSignIn, openSession, waiting } from '../state/signing-in';
import { texts } from '../texts';
import { problemText } from '../texts/problem-text';
import { Modal } from './modal';

/** As the API has it. */
const USERNAME = '[A-Za-z0-9._@\\-]{3,64}';

/** Signs in or up without leaving the page, whenever something needs to know who the shopper is. */
export function SignInDialog() {
  const way = useSignal<'login' | 'register'>('register');
  if (waiting.value === null) return null;
  const { accountTitle, toRegister, toLogin } = texts.value;
  const isLogin = way.value === 'login';
  return (
    <Modal title={accountTitle[way.value]} onClose={() => answerSignIn(false)}>
      <AccountForm key={way.value} way={way.value} />
      <button type="button" class="link" onClick={() => (way.value = isLogin ? 'register' : 'login')}>{isLogin ? toRegister : toLogin}</button>
    </Modal>
  );
}

function AccountForm({ way }: { way: 'login' | 'register' }) {
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const { accountTitle, username, password, usernameRule, passwordRule, signingIn, close, problems } = texts.value;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy.peek() || !(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    isBusy.value = true;
    const outcome = await openSession(way, { username: text(form, 'username').trim(), password: text(form, 'password') });
    isBusy.value = false;
    problem.value = outcome.ok ? null : outcome.problem;
    if (outcome.ok) answerSignIn(true);
  };
  const isNew = way === 'register';
  const isAtFault = (field: string): boolean => problem.value?.errors.some((error) => error.field === field) ?? false;
  return (
    <form class="stack" onSubmit={(event) => void submit(event)}>
      <Field name="username" label={username} rule={isNew ? usernameRule : ''} isAtFault={isAtFault('username')} pattern={isNew ? USERNAME : '.*'} autocomplete="username" autofocus />
      <Field name="password" label={password} rule={isNew ? passwordRule : ''} isAtFault={isAtFault('password')} type="password" minLength={isNew ? 8 : 1} maxLength={200} autocomplete={isNew ? 'new-password' : 'current-password'} />
      <p class="fault small" role="alert">{problem.value && problemText(problem.value, problems)}</p>
      <div class="modal-actions">
        <button type="button" onClick={() => answerSignIn(false)}>{close}</button>
        <button type="submit" class="primary" disabled={isBusy.value}>{isBusy.value ? signingIn : accountTitle[way]}</button>
      </div>
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  rule: string;
  isAtFault: boolean;
  type?: 'text' | 'password';
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  autocomplete: string;
  autofocus?: boolean;
}

function Field({ label, rule, isAtFault, type = 'text', ...input }: FieldProps) {
  const id = useId();
  const props = { ...input, id, required: true, title: rule, 'aria-invalid': isAtFault, 'aria-describedby': rule === '' ? undefined : `${id}-rule`, autocapitalize: 'none' as const, spellcheck: false };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? <input type="password" {...props} /> : <input type="text" {...props} />}
      {rule !== '' && <span id={`${id}-rule`} class={isAtFault ? 'fault' : 'soft small'}>{rule}</span>}
    </div>
  );
}

function text(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}
