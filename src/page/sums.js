// Exact sums and comparisons of numbers and decimals, whose digits are more than a float keeps.

/** @typedef {string | number} Figure a number, or the text of a decimal */

/**
 * All digits of a figure, and how many of them stand behind the point.
 * @param {Figure} figure
 */
function digitsOf(figure) {
  const [written = "", exponent = "0"] = String(figure).split("e");
  const [whole, fraction = ""] = written.split(".");
  const places = fraction.length - Number(exponent);
  const digits = BigInt(`${whole}${fraction}`);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}

/**
 * The sum of figures, with as many places as the one that has most.
 * @param {Figure[]} figures
 */
export function sumOf(figures) {
  const all = figures.map(digitsOf);
  const places = all.reduce((most, one) => Math.max(most, one.places), 0);
  const sum = all.reduce((sum, one) => sum + one.digits * 10n ** BigInt(places - one.places), 0n);
  const text = String(sum < 0n ? -sum : sum).padStart(places + 1, "0");
  const point = text.length - places;
  return (sum < 0n ? "-" : "") + text.slice(0, point) + (places > 0 ? `.${text.slice(point)}` : "");
}

/**
 * Less than 0 where the first is the smaller one.
 * @param {Figure} one
 * @param {Figure} other
 */
export function compareFigures(one, other) {
  const [a, b] = [digitsOf(one), digitsOf(other)];
  const difference = a.digits * 10n ** BigInt(b.places) - b.digits * 10n ** BigInt(a.places);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
