/** What a table says of how its files load, as metadata of this provider: the words of a landed object's metadata behind this prefix. */
const LOAD_SETTINGS = { provider: 'millrace', prefix: 'millrace.load.' } as const

const loadSettingWords = ['incremental', 'types', 'delimiter', 'enclosure', 'columns'] as const

/** The metadata that keep these settings: those that have a value. */
export const metadataOfSettings = (given: Readonly<Record<string, string | undefined>>) => ({
  provider: LOAD_SETTINGS.provider,
  metadata: loadSettingWords.flatMap(word => {
    const value = given[word]
    return value ? [{ key: LOAD_SETTINGS.prefix + word, value }] : []
  }),
})

interface KeptMetadatum {
  key: string
  provider?: string | undefined
}

export const isLoadSetting = ({ key, provider }: KeptMetadatum): boolean =>
  provider === LOAD_SETTINGS.provider && key.startsWith(LOAD_SETTINGS.prefix)

/** The settings among the metadata of a table, by their words. */
export const loadSettingsOf = (
  metadata: readonly (KeptMetadatum & { value: string })[],
): Record<string, string> =>
  Object.fromEntries(
    metadata.filter(isLoadSetting).flatMap(({ key, value }) => {
      const word = loadSettingWords.find(each => key === LOAD_SETTINGS.prefix + each)
      return word ? [[word, value]] : []
    }),
  )
