/** What a table says of how its files load, as metadata of this provider: the words of a landed object's metadata behind this prefix. */
export const LOAD_SETTINGS = { provider: 'millrace', prefix: 'millrace.load.' } as const

export const loadSettingWords = ['incremental', 'types', 'delimiter', 'enclosure', 'columns'] as const

/** The settings among the metadata of a table, by their words. */
export const loadSettingsOf = (
  metadata: readonly { key: string; value: string; provider?: string | undefined }[],
): Record<string, string> =>
  Object.fromEntries(
    metadata.flatMap(({ key, value, provider }) => {
      const word = loadSettingWords.find(each => key === LOAD_SETTINGS.prefix + each)
      return word && provider === LOAD_SETTINGS.provider ? [[word, value]] : []
    }),
  )
