(** A parser of the C subset that certified texts are written in.

    It is written without regard to the printer: what a text means does not depend on how it
    was made. A certified text is one whose parse is the proven program.

    [cfile]    a C file: one function and its body
    [parse]    its parser: the fixed opening of the file, then the words of the function
<<
      file  ::= void name ( {int64_t name ,} {float name , | const float * restrict name ,}
                            float * restrict name ) { stmts }
      stmt  ::= ;  |  place = e ;  |  { float name ; stmts }
              | { float name [ e ] __attribute__ (( aligned ( 64 ) )) ; stmts }
              | { float * restrict name = new_floats ( e ) ; stmts free ( name ) ; }
              | [pragma] for ( int64_t name = 0 ; name < e ; name += 1 ) { stmts }
>> *)

From Coq Require Import ZArith NArith List Bool String Ascii.
From Vouch Require Import lib.Size array.Syntax imp.Flat.
From Vouch Require Import certify.Print certify.Token certify.CTree certify.Elaborate.
Import ListNotations.
Local Open Scope string_scope.

Record cfile : Type := {
  file_name : string;
  file_names : names;
  (* for each input, whether it is passed by value *)
  file_scalars : list bool;
  file_body : fcomm
}.

Section STATEMENTS.
  Context (nm : scope) (expressions : nat).

  Definition tree : parser ctree := ptree expressions.

  Definition psize : parser size := e <- tree; lift (size_of nm e).
  Definition pexp : parser fexp := e <- tree; lift (exp_of nm e).

  Definition passign : parser fcomm :=
    e <- tree; sign "=" >> place <- lift (place_of_tree nm e); x <- pexp; sign ";" >>
    ret (FAssign (fst place) (snd place) x).

  Definition pragma_kind (s : string) : option kind :=
    match s with
    | "pragma omp parallel for" => Some Par
    | "pragma omp simd" => Some Vec
    | "pragma GCC unroll 16" => Some Unr
    | _ => None
    end.

  Definition ppragma : parser kind := fun l =>
    match l with
    | Pragma s :: rest => match pragma_kind s with Some k => Some (k, rest) | None => None end
    | _ => Some (Seq, l)
    end.

  Definition words_in (l : list token) : parser unit := fun given =>
    (fix take (l given : list token) : option (unit * list token) :=
       match l, given with
       | [], _ => Some (tt, given)
       | Word s :: l1, Word t :: g1 | Sign s :: l1, Sign t :: g1 =>
           if String.eqb s t then take l1 g1 else None
       | _, _ => None
       end) l given.

  Definition alignment : list token :=
    [Word "__attribute__"; Sign "("; Sign "("; Word "aligned"; Sign "("; Word "64"; Sign ")";
     Sign ")"; Sign ")"; Sign ";"].

  (** The end of a sequence of statements. *)
  Definition at_end : parser bool := fun l =>
    match l with
    | Sign s :: _ => Some (String.eqb s "}", l)
    | Word s :: _ => Some (String.eqb s "free", l)
    | _ => Some (false, l)
    end.

  Definition pfor (k : kind) (body : parser fcomm) : parser fcomm :=
    word "for" >> sign "(" >> word "int64_t" >> s <- any_word; i <- lift (find_loop s);
    sign "=" >> word "0" >> sign ";" >> word s >> sign "<" >> n <- psize; sign ";" >>
    word s >> sign "+=" >> word "1" >> sign ")" >> sign "{" >> c <- body; sign "}" >>
    ret (FFor k i n c).

  Definition pheap (body : parser fcomm) : parser fcomm :=
    sign "*" >> word "restrict" >> s <- any_word; v <- lift (find_temporary nm s);
    sign "=" >> word "new_floats" >> sign "(" >> n <- psize; sign ")" >> sign ";" >>
    c <- body; word "free" >> sign "(" >> word s >> sign ")" >> sign ";" >> sign "}" >>
    ret (FNew v (Some n) c).

  Definition pstack (body : parser fcomm) : parser fcomm :=
    s <- any_word; v <- lift (find_temporary nm s);
    array <- is_next "[";
    if array then
      sign "[" >> n <- psize; sign "]" >> words_in alignment >> c <- body; sign "}" >>
      ret (FNew v (Some n) c)
    else sign ";" >> c <- body; sign "}" >> ret (FNew v None c).

  Definition pblock (body : parser fcomm) : parser fcomm :=
    sign "{" >> word "float" >> heap <- is_next "*"; if heap then pheap body else pstack body.

  Definition pstmt (body : parser fcomm) : parser fcomm :=
    t <- peek;
    match t with
    | Sign ";" => sign ";" >> ret FSkip
    | Sign _ => pblock body
    | Pragma _ => k <- ppragma; pfor k body
    | Word "for" => pfor Seq body
    | Word _ => passign
    end.

  Fixpoint pstmts (fuel : nat) : parser fcomm :=
    match fuel with
    | O => fail
    | S n =>
        c <- pstmt (pstmts n); over <- at_end;
        if over then ret c else rest <- pstmts n; ret (FSeq c rest)
    end.
End STATEMENTS.

(** Sizes; inputs, each with whether it is by value; output. *)
Fixpoint pparams (fuel : nat) (szs vars : list string) (scalars : list bool)
    : parser (names * list bool) :=
  match fuel with
  | O => fail
  | S n =>
      t <- any_word;
      match t, vars with
      | "int64_t", [] => s <- any_word; sign "," >> pparams n (s :: szs) [] []
      | "const", _ =>
          word "float" >> sign "*" >> word "restrict" >> s <- any_word; sign "," >>
          pparams n szs (s :: vars) (false :: scalars)
      | "float", _ =>
          pointer <- is_next "*";
          if pointer then
            sign "*" >> word "restrict" >> s <- any_word; sign ")" >>
            ret ({| var_names := rev (s :: vars); size_names := rev szs |}, rev scalars)
          else s <- any_word; sign "," >> pparams n szs (s :: vars) (true :: scalars)
      | _, _ => fail
      end
  end.

Definition pfunction (fuel : nat) : parser cfile :=
  word "void" >> name <- any_word; sign "(" >> params <- pparams fuel [] [] [];
  let nm := fst params in
  sign "{" >>
  c <- pstmts {| variables := var_names nm; sizes := size_names nm |} fuel fuel; sign "}" >>
  ret {| file_name := name; file_names := nm; file_scalars := snd params; file_body := c |}.

(** What follows [opening] in s. *)
Fixpoint after (opening s : string) : option string :=
  match opening, s with
  | EmptyString, _ => Some s
  | String c rest, String d s1 => if Ascii.eqb c d then after rest s1 else None
  | String _ _, EmptyString => None
  end.

Definition after_opening (s : string) : option string :=
  match after (c_headers ++ newline) s with
  | Some rest =>
      match after (c_allocator ++ newline) rest with
      | Some rest1 => Some rest1
      | None => Some rest
      end
  | None => None
  end.

Definition parse (s : string) : option cfile :=
  match after_opening s with
  | Some text =>
      match tokens text with
      | Some l =>
          match pfunction (List.length l) l with
          | Some (f, []) => Some f
          | _ => None
          end
      | None => None
      end
  | None => None
  end.
