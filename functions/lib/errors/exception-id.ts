import { randomBytes } from 'node:crypto'

/** A random id that a person can quote and an operator can find in the logs. */
export const createExceptionId = (): string => `millrace-${randomBytes(12).toString('hex')}`
