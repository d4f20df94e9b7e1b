import { useSignal } from '@preact/signals';
import { outcomeOf } from '../../shared/api';
import { TextField } from '../components/field';
import { ProblemNote } from '../components/notes';
import { LanguageSelect, ThemeSelect } from '../components/settings';
import { api, session, sessionOver } from '../console';
import { useForm } from '../state/form';
import { useTitle } from '../state/title';
import { texts } from '../texts';

export function SignInPage() {
  const { brand, signIn } = texts.value;
  useTitle(signIn.title);
  return (
    <main class="sign-in">
      <p class="brand"><img src="/icon.svg" alt="" width="32" height="32" /><span>{brand}</span></p>
      <section class="card stack">
        <h1>{signIn.title}</h1>
        <p class="soft">{sessionOver.value ? signIn.over : signIn.hint}</p>
        <SignInForm />
      </section>
      <div class="row settings"><LanguageSelect /><ThemeSelect /></div>
    </main>
  );
}

function SignInForm() {
  const isShopper = useSignal(false);
  const form = useForm(
    (values) => outcomeOf(api.POST('/api/auth/login', { body: { username: values.text('username'), password: values.text('password') } })),
    ({ user, token, expiresAt }) => {
      isShopper.value = user.role !== 'operator';
      if (isShopper.value) return void outcomeOf(api.POST('/api/auth/logout', { headers: { authorization: `Bearer ${token}` } }));
      sessionOver.value = false;
      session.value = { token, username: user.username, role: user.role, expiresAt };
    },
  );
  const { signIn, common } = texts.value;
  return (
    <form ref={form.ref} class="stack" onSubmit={form.onSubmit} noValidate>
      <TextField form={form} name="username" label={signIn.username} autoComplete="username" />
      <TextField form={form} name="password" label={signIn.password} type="password" autoComplete="current-password" />
      {form.problem.value && <ProblemNote problem={form.problem.value} />}
      {isShopper.value && !form.problem.value && <div class="note bad" role="alert"><p>{signIn.notOperator}</p></div>}
      <button type="submit" class="primary" disabled={form.busy.value}>{form.busy.value ? common.working : signIn.submit}</button>
    </form>
  );
}
