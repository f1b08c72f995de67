/** In place of the ARN of a customer's key where data is under keys of AWS. Constants only: infra/ imports this file. */
export const NO_DATA_KEY = 'none'
