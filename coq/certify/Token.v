(** The words of a C text.

    [token]    a word (name or number), a punctuator, or the line of a pragma
    [tokens]   the words of a text; [None] if a character has no place in one. As in C, the
               longest possible word is taken, so that no two tokens of ours are one of C's. *)

From Coq Require Import List Bool String Ascii.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope char_scope.

Inductive token : Type :=
| Word (s : string)
| Sign (s : string)
| Pragma (s : string).

(** By cases of the character's bits: this is asked of each character of a text. *)
Definition is_word_char (c : ascii) : bool :=
  match c with
  | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
  | "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M" | "N" | "O" | "P"
  | "Q" | "R" | "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z"
  | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" | "k" | "l" | "m" | "n" | "o" | "p"
  | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z"
  | "_" | "." => true
  | _ => false
  end.

Definition starts_number (c : ascii) : bool :=
  match c with
  | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "." => true
  | _ => false
  end.

(** In a number, a sign may follow an exponent letter. *)
Definition is_exponent (c : ascii) : bool :=
  match c with "p" | "P" | "e" | "E" => true | _ => false end.

Definition is_plus_minus (c : ascii) : bool := match c with "+" | "-" => true | _ => false end.

(** What the word read so far is, in reverse: none, a name, a number whose last character is an
    exponent letter or not, or the line of a pragma. *)
Inductive mode : Type := Between | InName | InNumber (exponent : bool) | InPragma.

Fixpoint reversed (s rest : string) : string :=
  match s with
  | EmptyString => rest
  | String c s1 => reversed s1 (String c rest)
  end.

(** Two characters that are one punctuator, and those that C would take for another one. *)
Definition pair_sign (c d : ascii) : option bool :=
  match c, d with
  | "=", "=" | "!", "=" | "<", "=" | "&", "&" | "|", "|" | "+", "=" => Some true
  | ">", "=" | "+", "+" | "-", "-" | "-", "=" | "-", ">" | "*", "=" | "/", "=" | "%", "="
  | "<", "<" | ">", ">" | "/", "/" | "/", "*" | "#", "#" | "&", "=" | "|", "=" | "^", "="
  | "<", ":" | "<", "%" | ":", ">" | "%", ">" | "%", ":" => Some false
  | _, _ => None
  end.

Definition is_sign (c : ascii) : bool :=
  match c with
  | "(" | ")" | "[" | "]" | "{" | "}" | "," | ";" | "?" | ":" | "=" | "+" | "-" | "*" | "/"
  | "%" | "<" | "!" => true
  | _ => false
  end.

Definition is_blank (c : ascii) : bool := match c with " " | "010" => true | _ => false end.

Definition push (m : mode) (word : string) (l : list token) : list token :=
  match m with
  | Between => l
  | InName | InNumber _ => Word (reversed word "") :: l
  | InPragma => Pragma (reversed word "") :: l
  end.

(** Where the reader stands: in a word, given in reverse; whether the next character is the
    second half of a punctuator already taken; the tokens so far, in reverse. *)
Definition state : Type := (mode * string * bool * list token)%type.

Definition start (c : ascii) (next : string) (done : list token) : option state :=
  let word := String c "" in
  if is_blank c then Some (Between, ""%string, false, done)
  else if starts_number c then Some (InNumber false, word, false, done)
  else if is_word_char c then Some (InName, word, false, done)
  else if Ascii.eqb c "#" then Some (InPragma, ""%string, false, done)
  else
    let single :=
      if is_sign c then Some (Between, ""%string, false, Sign word :: done) else None in
    match next with
    | EmptyString => single
    | String d _ =>
        match pair_sign c d with
        | Some true => Some (Between, ""%string, true, Sign (String c (String d "")) :: done)
        | Some false => None
        | None => single
        end
    end.

Definition step (q : state) (c : ascii) (next : string) : option state :=
  let '(m, word, skip, done) := q in
  if skip then Some (Between, ""%string, false, done) else
  match m with
  | Between => start c next done
  | InName =>
      if is_word_char c then Some (m, String c word, false, done)
      else start c next (push m word done)
  | InNumber exponent =>
      if is_word_char c || (exponent && is_plus_minus c)
      then Some (InNumber (is_exponent c), String c word, false, done)
      else start c next (push m word done)
  | InPragma =>
      if Ascii.eqb c "010" then Some (Between, ""%string, false, push m word done)
      else Some (m, String c word, false, done)
  end.

(** [rev] would take time that grows with the square of the text's length. *)
Fixpoint scan (q : state) (s : string) : option (list token) :=
  match s with
  | EmptyString => let '(m, word, _, done) := q in Some (rev_append (push m word done) [])
  | String c rest =>
      match step q c rest with
      | Some q1 => scan q1 rest
      | None => None
      end
  end.

Definition tokens (s : string) : option (list token) := scan (Between, ""%string, false, []) s.
