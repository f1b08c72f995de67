/** In place of the machine's ARN where a stack has no extractions. Constants only: infra/ imports this file. */
export const NO_EXTRACT_MACHINE = 'none'
