(** Lowering the array language to the imperative one.

    The paper's two translators are one structural recursion. [lower e] is a pair:
    - [fst (lower e)], the continuation translator C: given the environment and the nesting
      depth, new temporaries each with the command that fills it, then a view of e. What is
      passed to the continuation is that view;
    - [snd (lower e)], the acceptor translator A: the command that fills an acceptor with e.

    Environments: [xi] holds the loop variable of each index variable, [rho] the view of each
    data variable. [k] is the nesting depth: every name below k is in use, none from k on.

    [prelude], [wrap]   temporaries and the command in their scope
    [assign]            element by element, for any type (the paper's array assignment)
    [lower_map], [lower_red], [lower_red_into] ...   the rules, one definition each
    [lower]             all of them
    [kernel]            a closed term: inputs 0 .. r-1, output r *)

From Coq Require Import NArith List Bool.
From Vouch Require Import lib.Size array.Syntax imp.Syntax lower.Align.
Import ListNotations.

Definition prelude : Type := list (ty * comm).
Definition view_fun : Type := list nat -> list view -> nat -> prelude * view.
Definition acc_fun : Type := ty -> list nat -> list view -> nat -> acc -> comm.

Fixpoint wrap (k : nat) (pre : prelude) (body : comm) : comm :=
  match pre with
  | [] => body
  | (d, c) :: rest => CNew k d (CSeq c (wrap (S k) rest body))
  end.

Fixpoint assign (d : ty) (k : nat) (a : acc) (x : view) : comm :=
  match d with
  | TNum => CAssign a x
  | TAry n d1 => CFor Seq k n (assign d1 (S k) (acc_at a k) (view_at x k))
  | TPair d1 d2 =>
      CSeq (assign d1 k (AStep FstStep a) (ILay LFst x))
           (assign d2 k (AStep SndStep a) (ILay LSnd x))
  end.

(** Index variables become loop variables. *)
Fixpoint ixe_rename (xi : list nat) (e : ixe) : ixe :=
  match e with
  | XVar i => match nth_error xi i with Some v => XVar v | None => XSize (SConst 0%N) end
  | XSize s => XSize s
  | XAdd a b => XAdd (ixe_rename xi a) (ixe_rename xi b)
  | XSub a b => XSub (ixe_rename xi a) (ixe_rename xi b)
  | XMul a b => XMul (ixe_rename xi a) (ixe_rename xi b)
  | XDiv a b => XDiv (ixe_rename xi a) (ixe_rename xi b)
  | XMod a b => XMod (ixe_rename xi a) (ixe_rename xi b)
  end.

Fixpoint guard_rename (xi : list nat) (g : guard) : guard :=
  match g with
  | GLess a b => GLess (ixe_rename xi a) (ixe_rename xi b)
  | GEqual a b => GEqual (ixe_rename xi a) (ixe_rename xi b)
  | GAnd g1 g2 => GAnd (guard_rename xi g1) (guard_rename xi g2)
  | GOr g1 g2 => GOr (guard_rename xi g1) (guard_rename xi g2)
  | GNot g1 => GNot (guard_rename xi g1)
  end.

Fixpoint lay_rename (xi : list nat) (l : lay) : lay :=
  match l with
  | LAt i => LAt (ixe_rename xi i)
  | LMap l' => LMap (lay_rename xi l')
  | LFst | LSnd | LZip | LUnzip | LSplit _ _ | LJoin _ _ | LTrans | LRev _
  | LSlide _ _ _ _ | LSlice _ _ | LRepeat _ => l
  end.

(** A view first, then a copy of it: what A does where it has no rule of its own. *)
Definition copy_out (C : view_fun) : acc_fun := fun d xi rho k a =>
  let (pre, x) := C xi rho k in wrap k pre (assign d (k + length pre) a x).

(** A temporary first, then a view of it: what C does where it has no rule of its own. *)
Definition spill (d : ty) (A : acc_fun) : view_fun := fun xi rho k =>
  ([(d, A d xi rho (S k) (AVar k))], IVar k).

Definition view1 (C : view_fun) (f : list nat -> view -> view) : view_fun := fun xi rho k =>
  let (pre, x) := C xi rho k in (pre, f xi x).

Definition view2 (C1 C2 : view_fun) (f : list nat -> view -> view -> view) : view_fun :=
  fun xi rho k =>
    let (pre1, x1) := C1 xi rho k in
    let (pre2, x2) := C2 xi rho (k + length pre1) in
    (pre1 ++ pre2, f xi x1 x2).

Definition lower_map (C : view_fun) (A : acc_fun) (kd : kind) (n : size) (d2 : ty) : acc_fun :=
  fun _ xi rho k a =>
    let (pre, x) := C xi rho k in
    let i := k + length pre in
    wrap k pre (CFor kd i n (A d2 (i :: xi) (view_at x i :: rho) (S i) (acc_at a i))).

(** One step of a reduction over loop variable i, accumulating in variable v: in place, or
    into a second buffer that is copied back. *)
Definition red_step (once : bool) (A : acc_fun) (d2 : ty) (v : nat) (i : nat)
    (xi : list nat) (x : view) (rho : list view) : comm :=
  let rho1 := view_at x i :: IVar v :: rho in
  if once then A d2 (i :: xi) rho1 (S i) (AVar v)
  else CNew (S i) d2 (CSeq (A d2 (i :: xi) rho1 (S (S i)) (AVar (S i)))
                           (assign d2 (S (S i)) (AVar v) (IVar (S i)))).

Definition lower_red (w : place) (once : bool) (C : view_fun) (Ai Af : acc_fun) (n : size) (d2 : ty)
    : view_fun := fun xi rho k =>
  let (pre, x) := C xi rho k in
  let v := k + length pre in
  (pre ++ [(d2, CSeq (Ai d2 xi rho (S v) (AVar v))
                     (CFor (loop_of w) (S v) n (red_step once Af d2 v (S v) xi x rho)))], IVar v).

(** Straight into the acceptor, which the step reads back through [IAcc]. *)
Definition lower_red_into (w : place) (C : view_fun) (Ai Af : acc_fun) (n : size) (d2 : ty) : acc_fun :=
  fun d xi rho k a =>
    let (pre, x) := C xi rho k in
    let i := k + length pre in
    wrap k pre
      (CSeq (Ai d xi rho i a)
            (CFor (loop_of w) i n (Af d2 (i :: xi) (view_at x i :: IAcc a :: rho) (S i) a))).

Definition lower_let_view (C1 C2 : view_fun) : view_fun := fun xi rho k =>
  let (pre1, x1) := C1 xi rho k in
  let (pre2, x2) := C2 xi (x1 :: rho) (k + length pre1) in
  (pre1 ++ pre2, x2).

Definition lower_let_acc (C1 : view_fun) (A2 : acc_fun) : acc_fun := fun d xi rho k a =>
  let (pre1, x1) := C1 xi rho k in
  wrap k pre1 (A2 d xi (x1 :: rho) (k + length pre1) a).

Definition lower_pair_acc (A1 A2 : acc_fun) : acc_fun := fun d xi rho k a =>
  match d with
  | TPair d1 d2 =>
      CSeq (A1 d1 xi rho k (AStep FstStep a)) (A2 d2 xi rho k (AStep SndStep a))
  | TNum | TAry _ _ => CSkip
  end.

Definition lower_cat_acc (A1 A2 : acc_fun) (n m : size) (d : ty) : acc_fun :=
  fun _ xi rho k a =>
    CSeq (A1 (TAry n d) xi rho k a) (A2 (TAry m d) xi rho k (AStep (OffStep n) a)).

Definition lower_lay_acc (l : lay) (A : acc_fun) : acc_fun := fun d xi rho k a =>
  A (lay_source l d) xi rho k (AStep (LayStep l) a).

Definition by_view (C : view_fun) : view_fun * acc_fun := (C, copy_out C).

Fixpoint lower (e : exp) : view_fun * acc_fun :=
  match e with
  | EVar x => by_view (fun _ rho _ => ([], nth x rho (ICst zero)))
  | ECst _ c => by_view (fun _ _ _ => ([], ICst c))
  | EOp o e1 => by_view (view1 (fst (lower e1)) (fun _ => IOp o))
  | EPair e1 e2 =>
      let t1 := lower e1 in
      let t2 := lower e2 in
      (view2 (fst t1) (fst t2) (fun _ => IPair), lower_pair_acc (snd t1) (snd t2))
  | ELay l e1 =>
      let t := lower e1 in
      let C := view1 (fst t) (fun xi => ILay (lay_rename xi l)) in
      (C, if invertible l then lower_lay_acc l (snd t) else copy_out C)
  | EPad lo n _ c e1 => by_view (view1 (fst (lower e1)) (fun _ => IPad lo n c))
  | EIf g e1 e2 =>
      by_view (view2 (fst (lower e1)) (fst (lower e2)) (fun xi => IIf (guard_rename xi g)))
  | EMap kd n _ d2 f e1 =>
      let A := lower_map (fst (lower e1)) (snd (lower f)) kd n d2 in
      (spill (TAry n d2) A, A)
  | ERed w n _ d2 f i e1 =>
      let once := in_place f in
      let t := lower e1 in
      let tf := lower f in
      let ti := lower i in
      let C := lower_red w once (fst t) (snd ti) (snd tf) n d2 in
      (C, if is_into w && once then lower_red_into w (fst t) (snd ti) (snd tf) n d2 else copy_out C)
  | ELet e1 e2 =>
      let t1 := lower e1 in
      let t2 := lower e2 in
      (lower_let_view (fst t1) (fst t2), lower_let_acc (fst t1) (snd t2))
  | EMem d e1 => let t := lower e1 in (spill d (snd t), snd t)
  | ECat n m d e1 e2 =>
      let t1 := lower e1 in
      let t2 := lower e2 in
      let A := lower_cat_acc (snd t1) (snd t2) n m d in
      (spill (TAry (SAdd n m) d) A, A)
  end.

(** A kernel of r inputs: they are variables 0 .. r-1, the output is variable r. *)
Definition inputs (r : nat) : list view := map IVar (seq 0 r).

Definition kernel (r : nat) (e : exp) (d : ty) : comm :=
  snd (lower e) d [] (inputs r) (S r) (AVar r).
