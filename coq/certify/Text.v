(** Texts as certificates write them.

    Coq reads a [string] character by character as eight truth values, which takes longer than to
    check what the text does. A [text] has one constructor a character: it is read three times as
    fast, and [the_text] makes the same string of it.

    [text]     written as a string literal
    [the_text]   the string with these bytes *)

From Coq Require Import List String Strings.Byte.

Inductive text : Type := TextEnd | TextByte (b : byte) (rest : text).

Fixpoint text_of (bytes : list byte) : text :=
  match bytes with
  | nil => TextEnd
  | b :: rest => TextByte b (text_of rest)
  end.

Fixpoint bytes_of (t : text) : list byte :=
  match t with
  | TextEnd => nil
  | TextByte b rest => b :: bytes_of rest
  end.

Declare Scope text_scope.
Delimit Scope text_scope with text.
Bind Scope text_scope with text.
String Notation text text_of bytes_of : text_scope.

Definition the_text (t : text) : string := string_of_list_byte (bytes_of t).

(** A literal is the string that it looks like. *)
Example a_literal : the_text "a \ ""b""
" = "a \ ""b""
"%string.
Proof. reflexivity. Qed.
