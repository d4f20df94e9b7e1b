import { csvLine } from './csv.js';

describe('csvLine', () => {
  it('separates by commas and ends as RFC 4180 wants', () => {
    expect(csvLine(['a', '', '1'])).toBe('a,,1\r\n');
  });

  it('quotes cells that hold a comma, a quote or a line break, and doubles the quotes in them', () => {
    expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'cr\rhere'])).toBe('"a,b","say ""x""","two\nlines","cr\rhere"\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@x', '\tx', '＝1+1', '＋1', '－1', '＠x'])('makes %j plain text to a spreadsheet', (value) => {
    expect(csvLine([value])).toBe(`'${value}\r\n`);
  });

  it('does both where both are needed', () => {
    expect(csvLine(['=HYPERLINK("x","y")', '\rx'])).toBe(`"'=HYPERLINK(""x"",""y"")","'\rx"\r\n`);
    expect(csvLine(['\n=1'])).toBe(`"'\n=1"\r\n`);
  });

  it('leaves such characters alone inside a cell', () => {
    expect(csvLine(['a=1', 'b-c', 'x@y'])).toBe('a=1,b-c,x@y\r\n');
  });
});
