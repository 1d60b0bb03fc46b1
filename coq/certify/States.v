(** Does a statement say what an array term does? By computation.

    [variable]   what is known of a data variable
    [states]     a boolean: the statement says what the term does, at a path
    [kernel_states]   the same of a kernel and a cell of its output

    That it is so is in certify/StatesProof.v. *)

From Coq Require Import Arith NArith List Bool.
From Vouch Require Import lib.Size array.Syntax array.IndexCheck.
From Vouch Require Import lower.Flatten certify.Certificate certify.Statement.
From Vouch Require Import certify.Remainders.
Import ListNotations.

(** Index variables of the array term are replaced by what they stand for. *)

Definition nowhere : ixe := XSize (SConst 0).

Fixpoint index_at (iv : list ixe) (e : ixe) : ixe :=
  match e with
  | XVar i => nth i iv nowhere
  | XSize s => XSize s
  | XAdd a b => XAdd (index_at iv a) (index_at iv b)
  | XSub a b => XSub (index_at iv a) (index_at iv b)
  | XMul a b => XMul (index_at iv a) (index_at iv b)
  | XDiv a b => XDiv (index_at iv a) (index_at iv b)
  | XMod a b => XMod (index_at iv a) (index_at iv b)
  end.

Fixpoint layout_at (iv : list ixe) (l : lay) : lay :=
  match l with
  | LAt i => LAt (index_at iv i)
  | LMap l1 => LMap (layout_at iv l1)
  | LFst | LSnd | LZip | LUnzip | LSplit _ _ | LJoin _ _ | LTrans | LRev _ | LSlide _ _ _ _
  | LSlice _ _ | LRepeat _ => l
  end.

(** Two comparisons of which one adds the same to both sides; often nothing. *)
Definition sides_same (known : list ixe) (a b a1 b1 : ixe) : bool :=
  index_states known a a1 && index_states known b b1 || index_states known (XAdd a b1) (XAdd a1 b).

(** The guard of the term, and the one stated; [known] are differences that do not stop at zero. *)
Fixpoint guard_states (known iv : list ixe) (g h : guard) : bool :=
  match g, h with
  | GLess a b, GLess a1 b1 | GEqual a b, GEqual a1 b1 =>
      sides_same known (index_at iv a) (index_at iv b) a1 b1
  | GAnd g1 g2, GAnd h1 h2 | GOr g1 g2, GOr h1 h2 =>
      guard_states known iv g1 h1 && guard_states known iv g2 h2
  | GNot g1, GNot h1 => guard_states known iv g1 h1
  | _, _ => false
  end.

Definition step_same (known : list ixe) (s t : sstep) : bool :=
  match s, t with
  | XIx i, XIx j => index_states known i j
  | XLft, XLft | XRgt, XRgt => true
  | _, _ => false
  end.

Fixpoint path_same (known : list ixe) (p q : spath) : bool :=
  match p, q with
  | [], [] => true
  | s :: p1, t :: q1 => step_same known s t && path_same known p1 q1
  | _, _ => false
  end.

Definition const_same (c d : const) : bool := if const_eq_dec c d then true else false.

(** What a data variable is: which statements, at which depth, say what it has at a path. *)
Definition variable : Type := list ixe -> nat -> spath -> statement -> bool.

Definition unknown : variable := fun _ _ _ _ => false.

Definition is_scalar (l : nat) (p : spath) : variable := fun known _ q r =>
  match r with RScalar l1 => Nat.eqb l1 l && path_same known q p | _ => false end.

Definition is_value (l k : nat) : variable := fun known _ q r =>
  match r with
  | RValue l1 i => Nat.eqb l1 l && Nat.eqb (List.length i) k && path_same known q (map XIx i)
  | _ => false
  end.

Definition is_input (v : nat) (d : ty) : variable := fun known _ q r =>
  match r with
  | RInput v1 a => Nat.eqb v1 v && index_states known (offset_term d q) a
  | _ => false
  end.

(** An array of numbers has a name in the statement where it is stored; its rank. *)
Fixpoint rank (d : ty) : option nat :=
  match d with
  | TNum => Some 0
  | TAry _ d1 => option_map S (rank d1)
  | TPair _ _ => None
  end.

Definition stored_rank (e : exp) : option nat :=
  match e with EMem d _ => rank d | _ => None end.

(** The k indices bound at depth d. *)
Definition bound_path (d k : nat) : spath := map (fun l => XIx (XVar l)) (seq d k).

Fixpoint states (known iv : list ixe) (vals : list variable) (e : exp) (d : nat) (p : spath)
    (r : statement) : bool :=
  match e with
  | EVar x => nth x vals unknown known d p r
  | ECst _ c =>
      match c, p, r with
      | Ordinal, XIx i :: _, RIndex a => index_states known i a
      | Ordinal, _, _ => false
      | _, _, RConst c1 => const_same c c1
      | _, _, _ => false
      end
  | EOp (Op1 o) a =>
      match r with
      | ROp1 o1 r1 => (if uop_eq_dec o o1 then true else false) && states known iv vals a d [] r1
      | _ => false
      end
  | EOp (Op2 o) a =>
      match r with
      | ROp2 o1 r1 r2 =>
          (if bop_eq_dec o o1 then true else false) &&
          states known iv vals a d [XLft] r1 && states known iv vals a d [XRgt] r2
      | _ => false
      end
  | EOp (Op3 o) a =>
      match r with
      | ROp3 o1 r1 r2 r3 =>
          (if top_eq_dec o o1 then true else false) && states known iv vals a d [XLft] r1 &&
          states known iv vals a d [XRgt; XLft] r2 && states known iv vals a d [XRgt; XRgt] r3
      | _ => false
      end
  | EPair a b =>
      match p with
      | XLft :: q => states known iv vals a d q r
      | XRgt :: q => states known iv vals b d q r
      | _ => false
      end
  | ELay l a => states known iv vals a d (lay_spath (layout_at iv l) p) r
  | EPad lo n _ c a =>
      match p, r with
      | XIx i :: q, RPad lo1 i1 j1 hi1 r1 c1 =>
          index_states known (XSize lo) lo1 && index_states known i i1 && index_states known i j1 &&
          index_states known (XSize (SAdd lo n)) hi1 && const_same c c1 &&
          states (difference known i (XSize lo)) iv vals a d (XIx (XSub i (XSize lo)) :: q) r1
      | _, _ => false
      end
  | EIf g a b =>
      match r with
      | RIf g1 r1 r2 =>
          guard_states known iv g g1 && states known iv vals a d p r1 && states known iv vals b d p r2
      | _ => false
      end
  | EMap _ _ _ _ f a =>
      match p with
      | XIx i :: q =>
          states known (i :: iv) ((fun known1 d1 q1 => states known1 iv vals a d1 (XIx i :: q1)) :: vals) f d q r
      | _ => false
      end
  | ERed _ n _ _ f a b =>
      match r with
      | RFold n1 r1 r2 =>
          index_states known (XSize n) n1 && states known iv vals a d p r1 &&
          states known (XVar d :: iv)
            ((fun known1 d1 q1 => states known1 iv vals b d1 (XIx (XVar d) :: q1)) :: is_scalar d p :: vals)
            f (S d) p r2
      | _ => false
      end
  | ELet a b =>
      match stored_rank a, r with
      | Some k, RLet k1 r1 r2 =>
          Nat.eqb k k1 && states known iv vals a (d + k) (bound_path d k) r1 &&
          states known iv (is_value d k :: vals) b (S d) p r2
      | _, _ => states known iv ((fun known1 d1 q1 => states known1 iv vals a d1 q1) :: vals) b d p r
      end
  | EMem _ a => states known iv vals a d p r
  | ECat n _ _ a b =>
      match p, r with
      | XIx i :: q, RIf (GLess i1 n1) r1 r2 =>
          index_states known i i1 && index_states known (XSize n) n1 && states known iv vals a d p r1 &&
          states (difference known i (XSize n)) iv vals b d (XIx (XSub i (XSize n)) :: q) r2
      | _, _ => false
      end
  end.

(** The kernel's inputs, as variables. *)
Definition inputs (k : source) : list variable :=
  map (fun v => is_input v (nth v (kernel_inputs k) TNum)) (seq 0 (List.length (kernel_inputs k))).

(** The cell at index variables 0 .. n - 1 of the output: its address, and what it holds. *)
Definition kernel_states (k : source) (n : nat) (address : ixe) (r : statement) : bool :=
  index_states [] (offset_term (kernel_output k) (bound_path 0 n)) address &&
  states [] [] (inputs k) (kernel_term k) n (bound_path 0 n) r.
