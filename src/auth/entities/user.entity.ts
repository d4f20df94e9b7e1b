import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { UserRole } from '../authenticated-user.js';

/** An account. The username is kept as typed; its unique key (and every search by it) takes upper and lower case as the same. */
@Entity('users')
export class User {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id!: string;

  @Column({ type: 'varchar', length: 64 })
  username!: string;

  @Column({ name: 'password_hash', type: 'varchar', length: 255 })
  passwordHash!: string;

  @Column({ type: 'varchar', length: 24 })
  role!: UserRole;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;
}
