/** How a cell begins that a spreadsheet may take for a formula: OWASP, "CSV Injection", with the wide forms that some read as the same. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One line of a CSV file (RFC 4180). A cell that a spreadsheet would take for a formula is made plain text by a leading apostrophe. */
export function csvLine(values: string[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: string): string {
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
