import { useSignal } from '@preact/signals';
import type { Schemas } from '../../shared/api';
import { count } from '../../shared/format';
import { ProblemNote } from '../components/notes';
import { api, ask } from '../console';
import { timeOfDay } from '../format';
import { useResource } from '../state/resource';
import { texts } from '../texts';

const SHOWN = 50;

/** Whether every token is in exactly one place, asked when the page opens or the state changes, and then when the operator wants to know: it walks all tokens. */
export function Proof({ sale: { id: saleId, state } }: { sale: Schemas['OperatorSaleDto'] }) {
  const proof = useResource(`proof ${saleId} ${state}`, () => ask(api.GET('/api/admin/sales/{saleId}/proof', { params: { path: { saleId } } })));
  const busy = useSignal(false);
  const { proof: text } = texts.value;
  const { data: { value: data }, problem: { value: problem }, answeredMs } = proof;
  const light = problem || !data ? 'unknown' : data.ok ? 'ok' : 'odd';
  const odd = (data?.items ?? []).flatMap(({ itemId, odd: tokens }) => tokens.map((token) => ({ itemId, ...token })));
  const prove = async () => {
    busy.value = true;
    await proof.reload();
    busy.value = false;
  };
  return (
    <section class="card stack" aria-labelledby="proof-title">
      <div class="row spread">
        <h2 id="proof-title">{text.title}</h2>
        <button type="button" disabled={busy.value} onClick={() => void prove()} data-testid="prove">{busy.value ? text.proving : text.prove}</button>
      </div>
      <div class={`light ${light}`} role="status" data-testid="proof" data-proof={light}>
        <span class="lamp" aria-hidden="true" />
        <div>
          <strong>{light === 'odd' ? text.odd(count(odd.length)) : text[light]}</strong>
          <p class="soft small number">{answeredMs.value ? text.asked(timeOfDay(answeredMs.value)) : '\u00a0'}{data && !data.loaded && ` · ${text.unloaded}`}</p>
        </div>
      </div>
      {problem && <ProblemNote problem={problem} />}
      {odd.length > 0 && <OddTokens odd={odd} />}
    </section>
  );
}

function OddTokens({ odd }: { odd: (Schemas['OddTokenView'] & { itemId: string })[] }) {
  const { proof: text, levers } = texts.value;
  return (
    <>
      <table>
        <caption class="visually-hidden">{text.oddTokens}</caption>
        <thead><tr><th scope="col">{levers.item}</th><th scope="col">{text.serial}</th><th scope="col">{text.where}</th></tr></thead>
        <tbody>
          {odd.slice(0, SHOWN).map(({ itemId, serial, places }) => (
            <tr key={`${itemId} ${serial}`}>
              <td class="number">{itemId}</td><th scope="row" class="number">{serial}</th>
              <td>{places.length === 0 ? text.nowhere : places.map((place) => text.places[place] ?? place).join(' + ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {odd.length > SHOWN && <p class="soft small">{text.oddMore(count(odd.length - SHOWN))}</p>}
    </>
  );
}
