/** Encryption context of the addresses of loads. The role of the function that reads them opens nothing else. */
export const DATA_URL_COMPONENT = 'millrace.data-url'
