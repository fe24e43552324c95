// Decimals as people type them, where their language has a comma for the point.

/** Whether the person writes 0,5. The keys that a phone shows for decimals then have no point. */
const hasComma = new Intl.NumberFormat().format(0.5).includes(",");

/**
 * A number that was typed, with the point that the API takes.
 * @param {string} text
 */
export const withPoint = (text) => hasComma ? text.replace(",", ".") : text;
