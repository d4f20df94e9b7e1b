import { connectionLost } from '../state/connection';
import { texts } from '../texts';
import './connection-banner.css';

/** Says quietly that the service is out of reach. It lies over the page, so that nothing moves when it comes and goes. */
export function ConnectionBanner() {
  return (
    <div class="connection" role="status">
      {connectionLost.value && <p data-testid="connection">{texts.value.offline}</p>}
    </div>
  );
}
