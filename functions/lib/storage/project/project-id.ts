/** The project's id, from the environment. Throws unless it is a positive integer, because clients parse it as one. */
export const parseProjectId = (text: string): number => {
  const id = Number(text)
  if (!Number.isSafeInteger(id) || id <= 0)
    throw new Error(`PROJECT_ID must be a positive integer, not "${text}"`)
  return id
}
