/** How a Parquet file begins: `PAR1`, and the number before each page and each footer, where the name of a CSV's column would go on. */
export const PARQUET = [0x50, 0x41, 0x52, 0x31, 0x15]
