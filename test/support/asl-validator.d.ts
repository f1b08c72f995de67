declare module 'asl-validator' {
  /** Checks a state machine against the Amazon States Language, and that its states lead somewhere. */
  export default function validate(definition: unknown): { isValid: boolean; errors: unknown[] }
}
