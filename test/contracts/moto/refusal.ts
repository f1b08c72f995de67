/** The code with which a call is refused, or `done`. */
export const refusal = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    await call
    return 'done'
  } catch (error) {
    return error instanceof Error ? error.name : error
  }
}
