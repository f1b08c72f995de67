/** In place of both values of the environment, beside a storage service whose limits nobody knows here. */
export const NO_LOAD_LIMITS = 'none'
