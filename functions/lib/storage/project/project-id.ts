/** The project's id, from the environment. Throws when it is no positive integer: clients read it as one. */
export const parseProjectId = (text: string): number => {
  const id = Number(text)
  if (!Number.isSafeInteger(id) || id <= 0)
    throw new Error(`PROJECT_ID must be a positive integer, not "${text}"`)
  return id
}
