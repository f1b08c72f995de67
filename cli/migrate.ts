import type { Call, Command } from './command.ts'
import { type StorageFlags, storageOptions } from './storage-options.ts'

/** `millrace migrate tables`: gives the tables of version 0.1 their Iceberg metadata. */
export const migrate: Command = {
  description: 'bring what an earlier version stored to the form of this one',
  commands: {
    tables: {
      description: 'make Iceberg tables of all tables; their files stay where they are',
      options: storageOptions,
      help: 'A table does this with its first change, too. The command may be repeated.',
      run: async ({ flags, shell }: Call<StorageFlags>) => {
        const { migrateTables } = await import('./migrate-tables.ts')
        return migrateTables(flags, shell)
      },
    },
  },
}
