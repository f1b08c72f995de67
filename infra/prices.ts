/**
 * What AWS asks for, in dollars: list prices of us-east-1, November 2026, without free tiers (docs/limits.md has more).
 * Constants only.
 */
export const prices = {
  gigabyteSecond: { arm64: 13.33 / 1e6, x86_64: 16.67 / 1e6 },
  invocation: 0.2 / 1e6,
  apiRequest: 1 / 1e6,
  itemRead: 0.125 / 1e6,
  itemWrite: 0.625 / 1e6,
  scannedByte: 5 / 1e12,
} as const

export const PRICES_OF = 'us-east-1, November 2026'
