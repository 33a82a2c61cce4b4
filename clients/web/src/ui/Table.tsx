import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import { Button as Pressable } from "react-aria-components";
import { classes } from "./classes";

export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers and ages stand right. */
  align?: "left" | "right";
  /** A CSS width, such as "12ch". */
  width?: string;
  /** Hidden below 640 px. */
  isSecondary?: boolean;
  /** The cell names its row. */
  isHeader?: boolean;
  canSort?: boolean;
}

export interface Sort {
  column: string;
  descending: boolean;
}

export interface TableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Marks a row, such as the one in the drawer. */
  isSelected?: (row: Row) => boolean;
  /** Opens a row by a click anywhere on it; a link in the row must do the same for the keyboard. */
  onOpen?: (row: Row) => void;
  className?: string;
}

/** A semantic table for up to some hundred rows; larger lists use the virtual grid. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, isSelected, onOpen, className } = props;
  return (
    <div className={classes("overflow-x-auto", className)}>
      <table aria-label={label} className="w-full border-collapse text-left text-body">
        <thead className="max-wide:sr-only">
          <tr className="border-b border-line">
            {columns.map((column) => <HeadCell key={column.id} column={column} {...props} />)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              onClick={onOpen && ((event) => openUnlessControl(event.target, () => onOpen(row)))}
              className={classes("border-b border-line hover:bg-panel max-wide:flex max-wide:flex-wrap max-wide:items-center max-wide:gap-x-4 max-wide:gap-y-1 max-wide:px-2 max-wide:py-2", isSelected?.(row) && "bg-selected!")}
            >
              {columns.map((column) => <BodyCell key={column.id} column={column} row={row} />)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeadCell<Row>({ column, sort, onSort }: { column: Column<Row> } & Pick<TableProps<Row>, "sort" | "onSort">) {
  const active = sort?.column === column.id;
  const Arrow = sort?.descending ? ArrowDown : ArrowUp;
  const style = column.width ? { width: column.width } : undefined;
  // A header cell without a text would be one that names nothing.
  if (column.title === "") return <td style={style} className={cellLook(column)} />;
  return (
    <th
      scope="col"
      {...(active ? { "aria-sort": sort.descending ? "descending" : "ascending" } : {})}
      style={style}
      className={classes(cellLook(column), "h-8 text-label font-medium text-dim")}
    >
      {column.canSort && onSort ? (
        <Pressable
          className="inline-flex items-center gap-1 rounded-control data-hovered:text-text"
          onPress={() => onSort({ column: column.id, descending: active ? !sort.descending : false })}
        >
          {column.title}
          {active && <Arrow size={12} aria-hidden />}
        </Pressable>
      ) : (
        column.title
      )}
    </th>
  );
}

function BodyCell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const look = classes(cellLook(column), "row-height max-wide:h-auto! max-wide:p-0! max-wide:text-left!", column.title === "" && "max-wide:ml-auto", column.align === "right" && titled);
  if (column.isHeader) return <th scope="row" className={classes(look, "font-medium max-wide:order-first max-wide:grow max-wide:basis-full")}>{column.cell(row)}</th>;
  return <td className={look} data-title={column.title.toLowerCase()}>{column.cell(row)}</td>;
}

/** Numbers and ages need their title where the head is hidden. */
const titled = "max-wide:before:mr-1 max-wide:before:text-label max-wide:before:text-dim max-wide:before:content-[attr(data-title)]";

function cellLook<Row>(column: Column<Row>): string {
  return classes(
    "px-2 first:pl-3 last:pr-3",
    column.align === "right" && "numbers text-right",
    column.isSecondary && "max-wide:hidden",
  );
}

function openUnlessControl(target: EventTarget, open: () => void) {
  const control = target instanceof Element && target.closest("a, button, input, label");
  if (!control && !getSelection()?.toString()) open();
}
