import { h, type ComponentChildren } from 'preact';
import type { FormState } from '../state/form';
import { texts } from '../texts';

interface Common {
  form: FormState;
  /** As in the API's body, `items.0.stock` for instance. */
  name: string;
  label: string;
  hint?: string | undefined;
  id?: string;
  /** In the words of the field what the API says in those of its body. */
  faultText?: ((fault: string) => string) | undefined;
}

interface Described { id: string; name: string; 'aria-invalid': boolean; 'aria-describedby': string | undefined }

/** A label, a control, what the API says against it (which calls it by its name in the body), and what helps to fill it in. */
function Labelled({ form, name, label, hint, id = `field-${name}`, faultText = (fault) => fault.replace(name, label), children }: Common & { children: (control: Described) => ComponentChildren }) {
  const fault = form.faults.value[name];
  const about = [fault && `${id}-fault`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, name, 'aria-invalid': fault !== undefined, 'aria-describedby': about || undefined })}
      {fault && <span class="fault" id={`${id}-fault`}>{faultText(fault)}</span>}
      {hint && <span class="soft small" id={`${id}-hint`}>{hint}</span>}
    </div>
  );
}

interface InputProps extends Common {
  type?: 'text' | 'password' | 'number' | 'datetime-local' | 'url';
  inputMode?: 'numeric' | 'decimal';
  value?: string | undefined;
  disabled?: boolean;
  autoComplete?: string;
  min?: number;
  onInput?: (value: string) => void;
}

export function TextField({ type = 'text', inputMode, value, disabled, autoComplete = 'off', min, onInput, ...common }: InputProps) {
  // Preact's JSX has one type of attributes for each type of input; h() has one for all.
  const attributes = { type, inputMode, disabled, autoComplete, min, ...(type === 'datetime-local' && { step: 1 }) };
  return (
    <Labelled {...common}>
      {(control) => h('input', { ...control, ...attributes, defaultValue: value, onInput: (event) => onInput?.(event.currentTarget.value) })}
    </Labelled>
  );
}

export function TextArea({ value, ...common }: Common & { value?: string | undefined }) {
  return <Labelled {...common}>{(control) => <textarea {...control} rows={4} defaultValue={value} />}</Labelled>;
}

/** An amount of money, as people write it; the API takes it in minor units. */
export function AmountField(props: Omit<InputProps, 'inputMode'>) {
  const { amountFault } = texts.value.common;
  const { name, label } = props;
  return <TextField {...props} inputMode="decimal" faultText={(fault) => (fault.includes('whole number') ? amountFault : fault.replace(name, label))} />;
}

interface SelectProps extends Common {
  options: readonly (readonly [value: string, label: string])[];
  value?: string | undefined;
  disabled?: boolean;
  onChange?: (value: string) => void;
}

export function Select({ options, value, disabled, onChange, ...common }: SelectProps) {
  return (
    <Labelled {...common}>
      {(control) => (
        <select {...control} disabled={disabled} onChange={(event) => onChange?.(event.currentTarget.value)}>
          {options.map(([option, label]) => <option key={option} value={option} selected={option === value}>{label}</option>)}
        </select>
      )}
    </Labelled>
  );
}

/** One of few, all in sight. */
export function Choice({ legend, name, options, value }: { legend: string; name: string; options: readonly (readonly [string, string])[]; value: string }) {
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {options.map(([option, label]) => (
        <label key={option}><input type="radio" name={name} value={option} defaultChecked={option === value} />{label}</label>
      ))}
    </fieldset>
  );
}
