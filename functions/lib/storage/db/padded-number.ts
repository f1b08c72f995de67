/** Ten digits, so that text order is number order. */
export const paddedNumber = (number: number): string => String(number).padStart(10, '0')
