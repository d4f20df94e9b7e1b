const ID = /^[1-9]\d{0,18}$/;

/** Whether a text can be the id of a row. MySQL would read `12abc` as 12, so other texts must not get there. */
export const isId = (value: string): boolean => ID.test(value);
