import { signatureFault, signSandboxWebhook } from './sandbox.signature.js';

const NOW_MS = 1_764_600_000_000;
const BODY = Buffer.from('{"paymentId":"1"}');
const signed = (nowMs = NOW_MS, secret = 'secret'): string => signSandboxWebhook(BODY, secret, nowMs);
const fault = (header: unknown, body = BODY): string | null => signatureFault(header, body, 'secret', NOW_MS);

describe('signature of the sandbox webhook', () => {
  it('holds for the body it was made for', () => {
    expect(fault(signed())).toBeNull();
  });

  it('holds for five minutes, either way', () => {
    expect(fault(signed(NOW_MS - 300_000))).toBeNull();
    expect(fault(signed(NOW_MS + 300_000))).toBeNull();
    expect(fault(signed(NOW_MS - 301_000))).toMatch(/too old/);
    expect(fault(signed(NOW_MS + 301_000))).toMatch(/future/);
  });

  it('does not hold for another body, another secret or another time', () => {
    expect(fault(signed(), Buffer.from('{"paymentId":"2"}'))).toMatch(/does not fit/);
    expect(fault(signed(NOW_MS, 'other'))).toMatch(/does not fit/);
    expect(fault(signed(NOW_MS - 10_000).replace(/^t=\d+/, `t=${NOW_MS / 1000}`))).toMatch(/does not fit/);
  });

  it.each([undefined, '', 'v1=00', ['a', 'b'], `t=1,v1=${'g'.repeat(64)}`, `t=1,v1=${'0'.repeat(63)}`, `t=-1,v1=${'0'.repeat(64)}`])(
    'is refused in the form %p',
    (header) => {
      expect(fault(header)).toMatch(/missing or has another form/);
    },
  );
});
