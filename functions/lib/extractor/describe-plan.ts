/** Filled in below. */
export const describePlan = (_: unknown): string => ''
