import { texts } from '../texts';
import './quantity.css';

interface Props {
  title: string;
  value: number;
  least: number;
  most: number;
  disabled: boolean;
  onChange: (value: number) => void;
}

/** How many of an item: fewer, more. */
export function Quantity({ title, value, least, most, disabled, onChange }: Props) {
  const { quantity, fewer, more } = texts.value;
  return (
    <div class="quantity" role="group" aria-label={quantity(title)}>
      <button type="button" aria-label={fewer(title)} disabled={disabled || value <= least} onClick={() => onChange(value - 1)}>−</button>
      <output class="number" aria-live="polite">{value}</output>
      <button type="button" aria-label={more(title)} disabled={disabled || value >= most} onClick={() => onChange(value + 1)}>+</button>
    </div>
  );
}
