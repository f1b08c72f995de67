import type { Command } from 'commander'
import { addStorageOptions, type StorageFlags } from './storage-options.ts'

/** `millrace migrate tables`: gives the tables of version 0.1 their Iceberg metadata. */
export const registerMigrate = (program: Command): void => {
  const migrate = program
    .command('migrate')
    .description('bring what an earlier version stored to the form of this one')
  addStorageOptions(migrate.command('tables'))
    .description('make Iceberg tables of all tables; their files stay where they are')
    .addHelpText('after', '\nA table does this with its first change, too. The command may be repeated.')
    .action(async (flags: StorageFlags) => {
      const { runMigrateTables } = await import('./migrate-tables.ts')
      process.exitCode = await runMigrateTables(flags)
    })
}
