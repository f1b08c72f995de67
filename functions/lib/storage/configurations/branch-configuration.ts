import type { Change, Configuration } from './configuration.ts'

interface NewCopy {
  internalId: string
  at: string
  token: Change['token']
}

/**
 * A configuration of the default branch as a branch begins with it: version 1 of its own, with the rows and states of
 * the original. The identifiers of the versions stay, so a client sees what differs between the branches.
 */
export const branchConfiguration = (
  configuration: Configuration,
  { internalId, at, token }: NewCopy,
): Configuration => {
  const { version, content, changed } = configuration.current
  const rows = content.rows.map(row => ({
    ...row,
    version: 1,
    configurationVersion: 1,
    created: at,
    changed: {
      at,
      token,
      description: `Copied from default branch configuration row "${row.name}" (${row.id}) version ${row.version}`,
      identifier: row.changed.identifier,
    },
  }))
  return {
    ...configuration,
    internalId,
    created: at,
    rows: configuration.rows
      .filter(({ id }) => rows.some(row => row.id === id))
      .map(remembered => ({ ...remembered, version: 1 })),
    current: {
      version: 1,
      changed: {
        // The version is as old as the one that it copies.
        at: changed.at,
        token,
        description: `Copied from default branch configuration "${content.name}" (${configuration.id}) version ${version}`,
        listed: `Copied from default branch configuration version "${content.name}" (configuration id: ${configuration.id}) version ${version}`,
        identifier: changed.identifier,
      },
      content: { ...content, rows },
    },
  }
}
